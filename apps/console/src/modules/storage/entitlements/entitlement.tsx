import { ENTITLEMENT_STATE, SERVICE_STATE } from '@oms/contract/storage/entitlement.ts'
import { Button } from 'antd'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { UploadOutlined } from '@ant-design/icons'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { Allowed } from '#core/auth/session.tsx'
import { State } from '#kit/record/state.tsx'

const STATE_COLOR: Readonly<Record<number, string>> = {
  0: 'warning',
  1: 'success',
  2: 'default',
  3: 'warning',
  4: 'error',
  5: 'processing',
}
const SERVICE_COLOR: Readonly<Record<number, string>> = { 1: 'success', 2: 'warning', 3: 'orange', 4: 'default' }

export const StateTag = ({ state }: { state: number }) => (
  <DictLabelTag type="oss_order_status" words={ENTITLEMENT_STATE} value={state} color={STATE_COLOR[state]} />
)
export const ServiceTag = ({ state }: { state: number }) => (
  <State color={SERVICE_COLOR[state]}>{SERVICE_STATE[state as 1]}</State>
)

const UNITS = [
  [86_400, '天'],
  [3600, '小时'],
  [60, '分钟'],
] as const

/** Formats a length in the largest unit that fits, such as `21 天`. */
export function formatPeriod(seconds: number) {
  const [size, unit] = UNITS.find(([each]) => Math.abs(seconds) >= each) ?? [1, '秒']
  return `${Math.round((seconds / size) * 10) / 10} ${unit}`
}

type Filters = Readonly<Record<string, string | number | undefined>>

/** Returns the path of the list of entitlements with filters. */
export function entitlementListPath(filters: Filters) {
  const given = Object.entries(filters).flatMap(([key, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[key, String(value)]],
  )
  return `/ossManage/deviceList?${new URLSearchParams(given)}`
}

/** Maximum number of channels that the contract accepts. */
const MAX_CHANNELS = 64

/** Returns the options of a select of channels, for a device with this number of channels. */
export const buildChannelOptions = (count = MAX_CHANNELS) =>
  Array.from({ length: count }, (_, channel) => ({ value: channel, label: `通道 ${channel}` }))

/** Opens the dialog that opens a package by a file. */
export const ImportButton = ({ onImport }: { onImport(): void }) => (
  <Allowed to={storageGrantFiles.import}>
    <Button icon={<UploadOutlined />} onClick={onImport}>
      批量开通
    </Button>
  </Allowed>
)
