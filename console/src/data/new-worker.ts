interface ScriptPolicy {
  createScriptURL(address: string): string
}

interface WithTrustedTypes {
  readonly trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy }
}

/** The policy of the page lets no plain text become a script, and allows this one once; addresses of workers are part of the build. */
const scripts = (globalThis as WithTrustedTypes).trustedTypes?.createPolicy('bookreel-worker', {
  createScriptURL: (address) => address,
})

export function newWorker(address: string): Worker {
  return new Worker(scripts?.createScriptURL(address) ?? address, { type: 'module' })
}
