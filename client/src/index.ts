/** A typed client of the parking lot service. README.md shows its use. */
export {
  createParkingClient,
  type LiveClientOptions,
  type LiveParkingClient,
  type ParkingClientOptions,
} from "./client.ts";
export { ApiError, type ErrorCode, type ErrorDetails, NetworkError } from "./errors.ts";
export type { Activity, Badges, Inbox, Live, Sessions, Sidebar } from "./live.ts";
export type { RetryOptions } from "./retry.ts";
export type { SupabaseLike } from "./session.ts";
export {
  LiveError,
  type LiveEvent,
  type LiveHandlers,
  type LiveStatus,
  type LiveSubscription,
} from "./subscription.ts";
export type { components, ErrorReasons, operations, paths } from "./api.ts";
export type {
  ChangesEnd,
  ListItem,
  ListPath,
  ParkingClient,
  PathOf,
  ResponseBody,
  StreamItem,
  StreamPath,
  UploadOptions,
} from "./types.ts";
