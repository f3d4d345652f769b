import { tenant } from '@oms/contract/tenant/tenant.ts'
import { useRead } from '#core/api/query.ts'

export function useSceneChoices() {
  const { data } = useRead(tenant.scenes, {}, { quiet: true })
  return data?.list ?? []
}
