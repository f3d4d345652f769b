import type { ScreenRow } from '@oms/contract/advertise/screen.ts'
import { Descriptions } from '#kit/record/descriptions.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { RecordDrawer } from '#kit/record/record-drawer.tsx'
import { NotesWithAdvice, SCREEN_ITEMS } from './screen-cells.tsx'

/** Screen drawer: warnings, last reported status and history. */
export const ScreenDrawer = (props: RecordNavigation<ScreenRow>) => (
  <RecordDrawer {...props} rowKey="id" bizType="adScreen" title={({ sn }) => sn}>
    {(row) => (
      <>
        <NotesWithAdvice row={row} />
        <Descriptions row={row} items={SCREEN_ITEMS} />
      </>
    )}
  </RecordDrawer>
)
