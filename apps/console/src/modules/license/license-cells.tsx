import { LICENSE_STATE } from '@oms/contract/license/license-state.ts'
import { LICENSE_VENDORS } from '@oms/contract/license/license-uid.ts'
import type { ReactNode } from 'react'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { useDictLabels, DictLabel, DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'

const COLORS: Readonly<Record<number, string>> = {
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
  0: '#94a3b8',
  1: '#3b82f6',
  2: '#06b6d4',
  3: '#16a34a',
  4: '#eab308',
  5: '#f97316',
  6: '#dc2626',
}

/** Returns labels of states and vendors from the dictionaries. */
export const useLicenseStateLabels = () => useDictLabels('license_status', LICENSE_STATE)
export const useVendorLabels = () => useDictLabels('license_type', LICENSE_VENDORS)

export const StateTag = ({ state }: { state: number }) => (
  <DictLabelTag type="license_status" words={LICENSE_STATE} value={state} color={COLORS[state]} />
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
