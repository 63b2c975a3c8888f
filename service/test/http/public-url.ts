/** Where browsers would find the service of a test. Nothing listens there: requests are injected. */
export const PUBLIC_URL = 'http://localhost:8080'
