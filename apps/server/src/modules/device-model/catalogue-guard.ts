import { refused } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'

/** Throws for accounts of tenants, who can only read types and models. */
export function assertPlatform({ isPlatform }: User) {
  if (!isPlatform) throw refused('设备类型和型号由平台统一维护')
}
