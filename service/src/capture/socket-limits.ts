/** When a socket or a move is given up. Tests use shorter ones. */
export interface SocketLimits {
  /** A socket that delivers this much later than at its best is replaced. */
  behindMs: number
  /** A socket with busy markets but without data for this long is replaced. Quiet sockets may be silent for hours. */
  busySilenceMs: number
  /** A move whose new book is not proved by then is given up, or completed with a gap. */
  moveWithinMs: number
  /** The socket before a move may deliver its last trades for this long. */
  lastTradesWithinMs: number
  /** The venue closed a socket because all its markets are resolved. A market that still exists after this was not. */
  resolvedWithinMs: number
}

export const SOCKET_LIMITS: SocketLimits = {
  behindMs: 10_000,
  busySilenceMs: 45_000,
  moveWithinMs: 30_000,
  lastTradesWithinMs: 30_000,
  resolvedWithinMs: 10_000,
}
