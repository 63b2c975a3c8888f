import { z } from 'zod'

const CHOSEN_CLAIMS = /^(email|name|nickname|preferred_username)(=|$)/

/** Who may sign in, and who is an operator. */
export const SIGN_IN_SETTINGS = {
  OIDC_ISSUER: z
    .url()
    .optional()
    .describe(
      'OpenID Connect issuer for sign-in; sign-in is off unless this, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are set',
    ),
  OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe('OpenID Connect client id; the redirect address is PUBLIC_URL/auth/callback'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('OpenID Connect client secret'),
  OIDC_TRUST_EMAILS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'whether an e-mail address counts as verified when the identity provider sends no claim email_verified; only for a provider that lets nobody choose an address. Operators find accounts by it',
    ),
  OPERATOR_CLAIM: z
    .string()
    .refine((text) => /^[^=\s]+(=.+)?$/.test(text), 'must be the name of a claim, or name=value')
    .refine((text) => !CHOSEN_CLAIMS.test(text), 'must not be a claim that people choose themselves, such as email')
    .optional()
    .describe(
      'claim of the ID token that makes a signed-in person an operator, who may use /app/ops: a name such as bookreel_operator, whose value must be true, or name=value such as groups=bookreel-operators, for a text or a list with it; if not set, nobody is an operator',
    ),
}
