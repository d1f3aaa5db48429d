import { readMe, updateMe } from "./account.ts";
import { deleteMyReview, listMyReviews, updateMyReview } from "./reviews.ts";

export const routes = [readMe, updateMe, listMyReviews, updateMyReview, deleteMyReview];
