import { readAppleAssociation, readAssetLinks } from "./associations.ts";

export const routes = [readAppleAssociation, readAssetLinks];
