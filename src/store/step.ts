/** How many people, memberships or refused calls one transaction goes through where there may be very many: others wait for it. */
export const STEP = 1000;
/** How much text of refused calls one transaction looks through: the worst of it takes 0.1 s. */
export const STEP_BYTES = 262_144;
