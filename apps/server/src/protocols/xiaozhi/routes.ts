import { notFound } from '#protocols/shared/response.ts'
import type { XiaozhiCall } from './call.ts'
import { handleContextRequest, isContextPath } from './context.ts'
import { routeDeviceCall, isDevicePath } from './device-routes.ts'
import { isRelayPath, routeRelayRequest } from './relay/relay.ts'
import { isServerPath, routeServerCall } from './voice-servers/server-routes.ts'

/** Routes one call below `/xiaozhi/`. A trailing slash is ignored. */
export async function routeXiaozhiRequest(call: XiaozhiCall, parts: readonly string[]): Promise<unknown> {
  const path = parts.at(-1) === '' ? parts.slice(0, -1) : parts
  if (isDevicePath(path)) return routeDeviceCall(call, path)
  if (isServerPath(path)) return routeServerCall(call, path)
  if (isContextPath(path)) return handleContextRequest(call)
  if (isRelayPath(path)) return routeRelayRequest(call, path)
  throw notFound('call')
}
