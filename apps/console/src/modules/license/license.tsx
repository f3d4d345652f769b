import { licenseCerts, licenseOptions } from '@oms/contract/license/license.ts'
import { LICENSE_STATE } from '@oms/contract/license/license-state.ts'
import { LICENSE_VENDORS } from '@oms/contract/license/license-uid.ts'
import type { ReactNode } from 'react'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { useDictLabels, DictLabel, DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { AutoComplete } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { GRANT_STATUS, type GrantRow } from '@oms/contract/license/license-grant.ts'
import { State } from '#kit/record/state.tsx'

/** Names and effects of the state transitions that require a reason. */
export const LICENSE_STEP_DIALOGS = {
  recall: { label: '收回', to: licenseCerts.recall, hint: '收回后证书回到库存，已消耗的授权额度退还给客户。' },
  unbind: { label: '解绑', to: licenseCerts.unbind, hint: '设备将不再持有该证书；设备曾激活过时必须填写原因。' },
  suspend: { label: '暂停', to: licenseCerts.suspend, hint: '暂停后设备激活请求将被拒绝，恢复后可继续使用。' },
  resume: { label: '恢复', to: licenseCerts.resume, hint: '恢复后证书重新生效。' },
  scrap: { label: '报废', to: licenseCerts.scrap, hint: '报废后不能恢复，已绑定的设备将释放该证书。' },
} as const
export type StepName = keyof typeof LICENSE_STEP_DIALOGS

const STATE_COLORS: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'processing',
  2: 'cyan',
  3: 'success',
  4: 'warning',
  5: 'orange',
  6: 'error',
}
/** Chart colours of the states, distinguishable with colour blindness. */
export const STATE_CHART_COLOURS: Readonly<Record<number, string>> = {
  0: '--chart-8',
  1: '--chart-1',
  2: '--chart-6',
  3: '--chart-2',
  4: '--chart-7',
  5: '--chart-3',
  6: '--chart-5',
}

/** Returns labels of states and vendors from the dictionaries. */
export const useLicenseStateLabels = () => useDictLabels('license_status', LICENSE_STATE)
export const useVendorLabels = () => useDictLabels('license_type', LICENSE_VENDORS)

export const StateTag = ({ state }: { state: number }) => (
  <DictLabelTag type="license_status" words={LICENSE_STATE} value={state} color={STATE_COLORS[state]} />
)
export const VendorName = ({ vendor }: { vendor: number | null }) => (
  <DictLabel type="license_type" words={LICENSE_VENDORS} value={vendor} />
)

/** Full-length cell for details; `UidCell` truncates to one line. */
export const UidText = ({ uid }: { uid: string }) => <span className="kit-mono">{uid}</span>
export const UidCell = ({ uid }: { uid: string }) => (
  <span className="kit-mono">
    <Ellipsis text={uid} />
  </span>
)

/** Returns the URL of the certificate list with filters. */
export function licenseListPath(filters: Readonly<Record<string, string | number | undefined>>) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  return `/LicenseManage/Certificate?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`
}

/** Renders a figure with a link to its rows; zero has no link. */
export const CountLink = ({ to, children }: { to: string | undefined; children: ReactNode }) =>
  to ? <PermittedLink to={to}>{children}</PermittedLink> : children

/** `stock`: only batches with certificates in stock. */
export function BatchPicker({ stock, ...props }: RecordSelectProps & { stock?: true }) {
  const vendors = useVendorLabels()
  const [keyword, onSearch] = useKeyword()
  const read = useRead(licenseOptions.batches, { keyword, ...(stock && { stock: 1 }) }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, vendor, stock: left }) => ({
    value: id,
    label: `${name} · ${vendors.label(vendor)}${stock ? ` · 库存${left}` : ''}`,
  }))
  return <RecordSelect {...props} placeholder="输入批次号搜索" source={{ options, read, onSearch }} />
}

/** Returns the certificate types in use as options. */
export const useTypeOptions = () =>
  (useRead(licenseOptions.types, {}, { quiet: true }).data?.list ?? []).map((code) => ({ value: code, label: code }))

/** Selects an existing code or accepts a new one. */
export function TypeField({ value, onChange, id }: { value?: string; onChange?(next: string): void; id?: string }) {
  const options = useTypeOptions()
  return (
    <AutoComplete
      {...(id && { id })}
      {...(value !== undefined && { value })}
      allowClear
      placeholder="如 P2P、480P"
      options={options}
      showSearch={{ filterOption: (text, option) => String(option?.value ?? '').includes(text.toUpperCase()) }}
      onChange={(next: string) => onChange?.(next)}
    />
  )
}

const GRANT_COLORS: Readonly<Record<number, string>> = {
  0: 'processing',
  1: 'success',
  2: 'warning',
  3: 'orange',
  4: 'default',
  5: 'error',
}

export const GrantTag = ({ status }: { status: number }) => (
  <State color={GRANT_COLORS[status]}>{GRANT_STATUS[status as keyof typeof GRANT_STATUS] ?? status}</State>
)

/** Usage of a grant; red below ten percent remaining. */
export function GrantQuota({ row: { quota, used } }: { row: Pick<GrantRow, 'quota' | 'used'> }) {
  const part = quota === 0 ? 0 : used / quota
  const colour =
    part > 0.9 ? 'var(--ant-color-error)' : part > 0.7 ? 'var(--ant-color-warning)' : 'var(--ant-color-primary)'
  return (
    <span className="kit-row kit-number">
      <span className="kit-bar" aria-hidden>
        <span style={{ width: `${part * 100}%`, background: colour, minWidth: used > 0 ? 2 : 0 }} />
      </span>
      <span>
        {used.toLocaleString()} / {quota.toLocaleString()}
      </span>
    </span>
  )
}
