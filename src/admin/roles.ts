/** Roles, from the least to the most; each may do everything that the ones before it may. */
export const roles = ["viewer", "editor", "owner", "administrator"] as const;
/** The first three are held in an account; an administrator has the whole installation. */
export type Role = (typeof roles)[number];

export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
