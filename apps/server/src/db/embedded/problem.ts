/** The embedded database cannot be had. The message is the one line an operator reads. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}
