import { LICENSE_STATE } from '@oms/contract/license-state.ts'
import { Tag } from 'antd'
import { Ellipsis } from '#kit/ellipsis.tsx'
import './license.css'

const COLORS: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'processing',
  2: 'cyan',
  3: 'success',
  4: 'warning',
  5: 'orange',
  6: 'error',
}
/** The same states in charts, told apart also by people who see fewer colours. */
export const STATE_FILL: Readonly<Record<number, string>> = {
  0: '#94a3b8',
  1: '#3b82f6',
  2: '#06b6d4',
  3: '#16a34a',
  4: '#eab308',
  5: '#f97316',
  6: '#dc2626',
}

export const nameOfState = (state: number) => LICENSE_STATE[state as keyof typeof LICENSE_STATE] ?? String(state)

export const StateTag = ({ state }: { state: number }) => (
  <Tag color={COLORS[state] ?? 'default'} style={{ margin: 0 }}>
    {nameOfState(state)}
  </Tag>
)

/** Whole, for details; `UidCell` keeps to one line of a list. */
export const Uid = ({ uid }: { uid: string }) => <span className="license-uid">{uid}</span>
export const UidCell = ({ uid }: { uid: string }) => (
  <span className="license-uid">
    <Ellipsis text={uid} />
  </span>
)

/** The address of the certificate list with these filters. */
export function listAddress(filters: Readonly<Record<string, string | number | undefined>>) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  return `/LicenseManage/Certificate?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`
}
