import { formatMac } from '@oms/contract/device/device-fields.ts'
import { eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'

/** Kind of a voice device in the operation log. */
export const VOICE_DEVICE_LOG_KIND = { bizType: 'agentDevice' } as const

/** Returns the name and the MAC address of a voice device for the operation log: `客厅 00:1a:2b:3c:4d:5e`. */
export async function readLoggedDeviceName(db: Db, deviceId: number): Promise<string> {
  const [found] = await db
    .select({
      name: sql<string>`coalesce(nullif(${agentDevices.alias}, ''), nullif(${devices.devName}, ''), ${devices.sn}, '')`,
      mac: agentDevices.mac,
    })
    .from(agentDevices)
    .leftJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(eq(agentDevices.deviceId, deviceId))
  return found ? `${found.name} ${formatMac(found.mac)}`.trim() : ''
}
