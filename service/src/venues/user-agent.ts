/** Venues answer 403 to clients without a User-Agent. */
export const USER_AGENT = 'bookreel/0.1'
