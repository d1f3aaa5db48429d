import { cancelSession, finalizeSession, startSession } from "./sessions.ts";

export const routes = [startSession, finalizeSession, cancelSession];
