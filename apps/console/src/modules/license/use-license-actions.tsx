import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import type { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { type LicenseStep, findStateAfter } from '@oms/contract/license/license-state.ts'
import { usePermissions } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { LICENSE_STEP_DIALOGS, type StepName } from './license-steps.ts'

const StepDialog = lazyAfterRender(() => import('./license-dialogs.tsx'), 'StepDialog')
const BindDialog = lazyAfterRender(() => import('./license-dialogs.tsx'), 'BindDialog')
const RevealKeyDialog = lazyAfterRender(() => import('./reveal-dialog.tsx'), 'RevealKeyDialog')

export type Dialog =
  | { readonly kind: StepName; readonly rows: readonly LicenseRow[]; readonly onDone?: () => void }
  | { readonly kind: 'bind' | 'reveal'; readonly row: LicenseRow }

export function LicenseDialog({ onClose, dialog }: { dialog: Dialog; onClose(): void }) {
  if ('row' in dialog) {
    const Single = dialog.kind === 'bind' ? BindDialog : RevealKeyDialog
    return <Single row={dialog.row} onClose={onClose} />
  }
  const { kind, rows, onDone } = dialog
  return <StepDialog step={kind} rows={rows} onClose={onClose} {...(onDone && { onDone })} />
}

/**
 * Returns a function that returns why the account may not change a certificate. All tenants share the certificates in
 * stock.
 */
export function useFindStockBlock() {
  const { seesAllTenants } = usePermissions()
  return ({ tenantId }: Pick<LicenseRow, 'tenantId'>) =>
    tenantId === null && !seesAllTenants ? SHARED_DATA_MESSAGE : undefined
}

/** Calls of the actions on a certificate. */
export const LICENSE_ACTION_CALLS = [
  licenseCerts.bind,
  licenseCerts.reveal,
  ...Object.values(LICENSE_STEP_DIALOGS).map(({ to }) => to),
]

/** Returns the actions that a certificate's state allows. */
export function useLicenseActions(onDialog: (dialog: Dialog) => void) {
  const findBlock = useFindStockBlock()
  return (row: LicenseRow): readonly (RowAction | false)[] => {
    const reason = findBlock(row)
    const may = (step: LicenseStep) => findStateAfter(step, row.state) !== undefined
    const step = (kind: StepName): RowAction | false =>
      may(kind) && {
        label: LICENSE_STEP_DIALOGS[kind].label,
        to: LICENSE_STEP_DIALOGS[kind].to,
        reason,
        ...(kind === 'scrap' && { danger: true as const }),
        onClick: () => onDialog({ kind, rows: [row] }),
      }
    return [
      may('bind') && { label: '绑定设备', to: licenseCerts.bind, onClick: () => onDialog({ kind: 'bind', row }) },
      step('unbind'),
      step('suspend'),
      step('resume'),
      step('recall'),
      { label: '查看明文', to: licenseCerts.reveal, reason, onClick: () => onDialog({ kind: 'reveal', row }) },
      step('scrap'),
    ]
  }
}
