import { notFound } from '#modules/device/wire/response.ts'
import type { XiaozhiCall } from './call.ts'
import { handleContextRequest, isContextPath } from './context.ts'
import { routeDeviceCall, isDevicePath } from './device-routes.ts'
import { isRelayPath, routeRelayRequest } from './relay/relay.ts'
import { isServerPath, routeServerCall } from './voice-servers/server-routes.ts'

/** Routes one call below `/xiaozhi/`. */
export async function routeXiaozhiRequest(call: XiaozhiCall, path: readonly string[]): Promise<unknown> {
  if (isDevicePath(path)) return routeDeviceCall(call, path)
  if (isServerPath(path)) return routeServerCall(call, path)
  if (isContextPath(path)) return handleContextRequest(call)
  if (isRelayPath(path)) return routeRelayRequest(call, path)
  throw notFound('call')
}
