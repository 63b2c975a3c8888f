const STORED_AS = 'bookreel-signed-in'

/**
 * Whether somebody was signed in when this browser asked last. A page then asks for its data together with the session
 * and not after it; without that, the browser of every visitor would report refused requests.
 */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(STORED_AS) !== null
  } catch {
    return false
  }
}

export function noteSignedIn(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(STORED_AS, 'true')
    else localStorage.removeItem(STORED_AS)
  } catch {}
}
