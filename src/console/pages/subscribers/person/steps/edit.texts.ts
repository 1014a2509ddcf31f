export const title = "Edit subscriber";
export const address = "Address";
export const addressHint = "If you change it, the lists and the history stay with the person.";
export const fields = "Custom fields";
export const save = "Save";
export const saved = "The changes are saved.";
export const unchanged = "Nothing was changed.";
export const needsAddress = "Enter an address. To delete the person, use “Erase”.";
