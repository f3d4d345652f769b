import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/** Returns the OTA address that persons enter into devices of their tenant; empty: the address of the console. */
export async function getOtaAddress({ user, services }: Ctx) {
  const params = await services.agentParameters.of(user.tenantId ?? PLATFORM_TENANT_ID)
  return { address: params.text('server.ota') }
}
