/** The embedded database is unavailable. The message is the complete line that the operator sees. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}
