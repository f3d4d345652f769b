import type { Api } from './people.ts'

interface Entry {
  dictCode: number
  dictValue: string
  dictLabel: string
}

/** A shared dictionary entry: its label, and a function that changes the label with another session. */
export async function dictEntry(admin: Api, dictType: string, dictValue: string) {
  const { list } = await admin.call<{ list: Entry[] }>('GET', '/api/v1/sys/dict/data/list', { dictType, pageSize: 100 })
  const entry = list.find((each) => each.dictValue === dictValue)
  if (!entry) throw new Error(`no ${dictValue} in ${dictType}`)
  const relabel = async (dictLabel: string) => {
    const now = await admin.call<object>('GET', `/api/v1/sys/dict/data/${entry.dictCode}`)
    await admin.call('PUT', '/api/v1/sys/dict/data', { ...now, dictLabel })
  }
  return { label: entry.dictLabel, relabel }
}
