export { BookKeeper, type Doubt, type KeptBook, type KeptMarket } from './book-keeper.ts'
export { Bookreel, type BookreelOptions } from './bookreel.ts'
export { BookreelError, type ErrorCode, type KnownErrorCode } from './bookreel-error.ts'
export type { AnswerFacts, CallOptions } from './call-options.ts'
export type { DownloadedFile, DownloadOptions, DownloadProgress } from './download.ts'
export type * from './generated/api-types.ts'
export { OPERATIONS } from './generated/operations.ts'
export type * from './generated/stream-types.ts'
export type { Replay } from './replay.ts'
export type { ReplayPlan, ReplayRequest } from './replay-request.ts'
export { RestClient, type RestOptions } from './rest-client.ts'
export type { SocketLike, SocketMaker } from './session.ts'
export type { Stream, StreamSettings } from './stream.ts'
export type {
  Accepted,
  ConnectedEvent,
  DisconnectedEvent,
  ReconnectedEvent,
  Rejected,
  StreamEvent,
  StreamRequest,
} from './stream-events.ts'
export {
  type ChainOptions,
  type KnownManifests,
  type VerificationCode,
  type VerificationProblem,
  type VerifiedChain,
  verifyFile,
  verifyManifests,
} from './verify-files.ts'
