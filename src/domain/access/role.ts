/** Roles, from the least to the most; each may do everything that the ones before it may. */
export const roles = ["viewer", "editor", "owner", "administrator"] as const;
/** The first three are held in an account; an administrator has the whole installation. */
export type Role = (typeof roles)[number];

/** The roles that a user can have in an account. */
export const accountRoles = ["viewer", "editor", "owner"] as const satisfies readonly Role[];
export type AccountRole = (typeof accountRoles)[number];

export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
/** The lesser of two roles. */
export const atMost = (role: Role, most: Role): Role => (isAtLeast(role, most) ? most : role);
