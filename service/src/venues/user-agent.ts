/** The venues' front doors refuse clients that don't say who they are. */
export const USER_AGENT = 'bookreel/0.1'
