import type { ProgramListRow } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { useRead } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'

interface Counts {
  readonly screens: number
  readonly ready: number
}

interface Deliveries {
  readonly counts: ReadonlyMap<number, Counts>
  onOpen(row: ProgramListRow): void
}

const DeliveriesContext = createContext<Deliveries>({ counts: new Map(), onOpen: () => {} })

interface ProviderProps {
  readonly rows: readonly ProgramListRow[]
  /** Opens the delivery of a program. */
  onOpen(row: ProgramListRow): void
  readonly children: ReactNode
}

/** Provides the delivery counts of all programs in force on a page of the list. Reads them with one request. */
export function DeliveryCounts({ rows, onOpen, children }: ProviderProps) {
  const mayCall = useMayCall()
  const ids = rows.filter(isInForce).map(({ id }) => id)
  const enabled = ids.length > 0 && mayCall(programChecks.deliveryCounts)
  const { data } = useRead(programChecks.deliveryCounts, { ids }, { enabled, quiet: true, staleTime: 0 })
  const value = useMemo(
    () => ({ counts: new Map((enabled ? (data?.list ?? []) : []).map(({ id, ...counts }) => [id, counts])), onOpen }),
    [data, enabled, onOpen],
  )
  return <DeliveriesContext value={value}>{children}</DeliveriesContext>
}

const isInForce = ({ status }: Pick<ProgramListRow, 'status'>) =>
  status === PROGRAM_STATUS.delivering || status === PROGRAM_STATUS.delivered

/** Shows the numbers of ready screens and of all screens of a program (`1,180/1,204`). A click opens the delivery. */
export function DeliveryCount({ row }: { row: ProgramListRow }) {
  const { counts, onOpen } = use(DeliveriesContext)
  const count = counts.get(row.id)
  if (!count || !isInForce(row)) return '-'
  const text = `${count.ready.toLocaleString('en')}/${count.screens.toLocaleString('en')}`
  return (
    <button
      type="button"
      className="kit-link"
      title={`${count.ready} 块屏幕已就绪，共 ${count.screens} 块`}
      onClick={(event) => {
        event.stopPropagation()
        onOpen(row)
      }}
    >
      {text}
    </button>
  )
}
