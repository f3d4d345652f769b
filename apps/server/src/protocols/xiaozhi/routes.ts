import { missing } from '#protocols/shared/response.ts'
import type { XiaozhiCall } from './call.ts'
import { context, isContextPath } from './context.ts'
import { deviceCall, isDevicePath } from './device-routes.ts'
import { isRelayPath, relay } from './relay/relay.ts'
import { isServerPath, serverCall } from './voice-servers/server-routes.ts'

/** Routes one call below `/xiaozhi/`. A trailing slash is ignored. */
export async function xiaozhi(call: XiaozhiCall, parts: readonly string[]): Promise<unknown> {
  const path = parts.at(-1) === '' ? parts.slice(0, -1) : parts
  if (isDevicePath(path)) return deviceCall(call, path)
  if (isServerPath(path)) return serverCall(call, path)
  if (isContextPath(path)) return context(call)
  if (isRelayPath(path)) return relay(call, path)
  throw missing('call')
}
