import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FormInstance } from 'antd'
import type { ConflictRow } from './conflict-table.tsx'
import { cutCommonStart, formatFieldLabel, formatFieldValue } from './field-words.ts'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import {
  type FieldDifference,
  type FieldPath,
  type Fields,
  listDifferences,
  mergeVersions,
  type Versions,
} from './merge-conflict.ts'

interface Compared {
  /** Name of the form, the prefix of the ids of its controls. */
  readonly name: string
  /** Values that the form was opened with. */
  readonly loaded: object | undefined
  /** The latest stored record, as form values. */
  readonly now: object
}

/** Fields that identify the record or its revision. */
const KEYS = ['id', 'rev']

const valueAt = (record: Fields | undefined, path: FieldPath) =>
  path.reduce<unknown>((value, name) => (value as Fields | null | undefined)?.[name], record)

/** Compares the form with the latest record. Returns the differing fields, and a function that merges both. */
export function compareWithLatest(endpoint: Endpoint, form: FormInstance, { name, loaded, now }: Compared) {
  const mine = form.getFieldsValue(true) as Fields
  const latest = now as Fields
  // A restored draft can belong to an older revision than the loaded record.
  const base = (loaded as Fields | undefined)?.['rev'] === mine['rev'] ? (loaded as Fields | undefined) : undefined
  const versions: Versions = { base, mine, latest }
  const saved = [mine, latest].flatMap((values) => Object.keys(selectAcceptedFields(endpoint, values)))
  const names = new Set([...Object.keys(form.getFieldsValue() as object), ...saved])
  for (const key of KEYS) names.delete(key)
  const place = { form: name, input: endpoint.input }
  const toRow = (difference: FieldDifference): ConflictRow => {
    const { path, mine: typed, latest: stored } = difference
    const named = [latest, mine, ...(base ? [base] : [])]
    const opened = { base: valueAt(base, path), hasBase: base !== undefined }
    const mineText = formatFieldValue(place, path, { value: typed, other: stored, ...opened }, named)
    const latestText = formatFieldValue(place, path, { value: stored, other: typed, ...opened }, named)
    const isList = Array.isArray(typed) || Array.isArray(stored)
    const [mineCut, latestCut] = isList ? [mineText, latestText] : cutCommonStart(mineText, latestText)
    return { ...difference, label: formatFieldLabel(place, path), mineText: mineCut, latestText: latestCut }
  }
  return {
    rows: listDifferences(versions, names).map(toRow),
    merge: (kept: readonly ConflictRow[]) =>
      mergeVersions(
        versions,
        kept.map(({ path }) => path),
      ),
  }
}
