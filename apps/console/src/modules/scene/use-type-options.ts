import { scene } from '@oms/contract/scene/scene.ts'
import { useRead } from '#core/api/query.ts'
import type { ChosenBefore } from '#kit/pickers/use-industry-tree.ts'

/** Returns the device types that a scene may select: enabled types, and types that are already selected. */
export function useTypeOptions(before?: ChosenBefore) {
  const { data } = useRead(scene.deviceTypes, {}, { quiet: true })
  if (!data) return []
  const { ids, names } = before ?? { ids: [], names: [] }
  const known = new Set(data.list.map(({ id }) => id))
  const gone = ids.flatMap((id, at) => (known.has(id) ? [] : [{ value: id, label: `${names[at] ?? id}（已删除）` }]))
  const offered = data.list
    .filter(({ id, status }) => status === 1 || ids.includes(id))
    .map(({ id, typeName, status }) => ({ value: id, label: status === 1 ? typeName : `${typeName}（已停用）` }))
  return [...offered, ...gone]
}

/** Returns all device types for the filter of the list. */
export function useAllTypes() {
  const { data } = useRead(scene.deviceTypes, {}, { quiet: true })
  return (data?.list ?? []).map(({ id, typeName }) => ({ value: id, label: typeName }))
}
