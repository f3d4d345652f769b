/** Returns the block of `data/.config.yaml` that connects a voice server with this console. */
export const buildServerConfig = (origin: string, secret: string) =>
  `manager-api:\n  url: ${origin}/xiaozhi\n  secret: ${JSON.stringify(secret)}\n`
