import { searchInWords } from "./ai.ts";
import { deleteAiKey, listAiKeys } from "./ai_keys.ts";

export const routes = [searchInWords, listAiKeys, deleteAiKey];
