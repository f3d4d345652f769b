import type { ReactNode } from 'react'
import { useFormRecord } from '#core/api/query.ts'
import { LoadingDrawer, LoadingModal } from '#kit/feedback/loading-layer.tsx'

interface FreshRecordProps<Data> {
  /**
   * Identifies the record; omitted by forms of a single record. Another record opens a new form, also while the form of
   * the previous record is still closing.
   */
  readonly of?: number | string
  /** Loads the record. The call is quiet, because the loading layer shows an error. */
  read(): Promise<Data>
  /** Title while the record is loading. */
  readonly title: string
  readonly layer?: 'drawer' | 'modal'
  onClose(): void
  children(record: Data): ReactNode
}

/**
 * Loads the current record before its edit form opens, so that the form never starts from an old revision. Neither a
 * refetch nor cache removal changes the form's initial values.
 */
export function FreshRecord<Data>(props: FreshRecordProps<Data>) {
  return <RecordForm key={props.of} {...props} />
}

function RecordForm<Data>({ read, title, layer = 'modal', onClose, children }: FreshRecordProps<Data>) {
  const record = useFormRecord(read)
  if (record.data !== undefined) return children(record.data)
  const Loading = layer === 'drawer' ? LoadingDrawer : LoadingModal
  return <Loading title={title} reads={[record]} onClose={onClose} />
}
