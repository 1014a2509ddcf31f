/** Secrets of the installation. */

export interface Secrets {
  /**
   * The secret of the installation, 32 random bytes that all nodes share; created on first use. Not to be
   * used itself: `keyFor` derives a key for each purpose.
   */
  ofInstallation(): Promise<Uint8Array>;
}
