/** How many people, memberships or refused calls one transaction goes through where there may be very many: others wait for it. */
export const STEP = 1000;
