import { devices } from '@oms/contract/device/device-info.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { ota } from '@oms/contract/ota/ota.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { call } from '#core/api/client.ts'

/** A hit of the global search (Ctrl/⌘ K). */
export interface SearchHit {
  readonly key: string
  readonly title: string
  /** Record kind and distinguishing data: `设备 · SN2026…`. */
  readonly detail: string
  /** URL of the hit. */
  readonly to: string
}

/** Searches records of one kind. Runs only when the account holds `access`. */
export interface RecordFinder {
  readonly access: string
  find(keyword: string, signal: AbortSignal): Promise<readonly SearchHit[]>
}

const FIRST = { pageNum: 1, pageSize: 5 }
type Paged = Endpoint & { readonly access: string }
type RowOf<E extends Paged> = ResultOf<E> extends { list: readonly (infer Row)[] } ? Row : never

/** Returns the first list rows that match the keyword as hits. */
function finder<E extends Paged>(
  endpoint: E,
  filter: (keyword: string) => InputOf<E>,
  hitOf: (row: RowOf<E>) => SearchHit,
): RecordFinder {
  return {
    access: endpoint.access,
    async find(keyword, signal) {
      const { list } = (await call(endpoint, filter(keyword), { signal, quiet: true })) as { list: RowOf<E>[] }
      return list.map(hitOf)
    },
  }
}

/** All searchable record kinds, most used first. */
export const RECORD_FINDERS: readonly RecordFinder[] = [
  finder(
    devices.list,
    (sn) => ({ ...FIRST, sn }),
    ({ id, sn, devName, modelName }) => ({
      key: `device ${id}`,
      title: sn,
      detail: ['设备', devName, modelName].filter(Boolean).join(' · '),
      to: `/device/apkManage/detail/${id}`,
    }),
  ),
  finder(
    tenant.list,
    (name) => ({ ...FIRST, name }),
    ({ id, name, tenantNo }) => ({
      key: `tenant ${id}`,
      title: name,
      detail: `客户 · ${tenantNo}`,
      to: `/tenantManage/tenant/overview/${id}`,
    }),
  ),
  finder(
    feedback.page,
    (keyword) => ({ ...FIRST, keyword }),
    ({ id, feedbackNo, content }) => ({
      key: `ticket ${id}`,
      title: feedbackNo,
      detail: `工单 · ${content.slice(0, 30)}`,
      to: `/AfterService/Questions/Pendding?info=${encodeURIComponent(JSON.stringify({ id }))}`,
    }),
  ),
  finder(
    ota.list,
    (verName) => ({ ...FIRST, verName }),
    ({ otaId, verName, verCode, modelName }) => ({
      key: `ota ${otaId}`,
      title: verName,
      detail: `固件 · ${modelName} · ${verCode}`,
      to: `/EditOta/${otaId}`,
    }),
  ),
]
