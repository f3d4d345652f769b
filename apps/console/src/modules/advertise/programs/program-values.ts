import type { ProgramDetailRow } from '@oms/contract/advertise/program.ts'
import { ALL_WEEKDAYS } from '@oms/contract/advertise/program-words.ts'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { buildTrackItems } from '../timeline/track-items.ts'

/** Values of the editor for a stored program. */
export function toEditorValues(program: ProgramDetailRow) {
  const { id, rev, programName, description, items, playMode, priority, insertMode, shareOfVoice } = program
  const { dateFrom, dateTo, weekdays, dayParts, targetType, targetIds, resolution } = program
  const rules = { playMode, priority, insertMode, shareOfVoice, isDefault: program.isDefault }
  const times = { dateFrom, dateTo, weekdays, dayParts }
  return {
    id,
    rev,
    programName,
    description,
    items: buildTrackItems(items),
    ...rules,
    ...times,
    targetType,
    targetIds,
    resolution,
  }
}

const DAYS = 30

/** Default values of the editor for a new program: 30 days from today, all day. */
export const createEditorValues = () => ({
  description: '',
  items: [],
  playMode: 1,
  priority: 0,
  insertMode: 0,
  dateFrom: formatDayBeforeToday(),
  dateTo: formatDayBeforeToday(1 - DAYS),
  weekdays: ALL_WEEKDAYS,
  dayParts: [],
  targetType: 1,
  targetIds: [],
  resolution: '',
  isDefault: 0,
})
