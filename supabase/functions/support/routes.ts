import { createTicket, listTickets, readTicket, replyToTicket } from "./tickets.ts";

export const routes = [createTicket, listTickets, readTicket, replyToTicket];
