// IndexedDB of the player. The service worker reads the same database.

const NAME = 'oms-player'
const VERSION = 1
export const OBJECT_STORES = { settings: 'settings', chunks: 'chunks', reports: 'reports' } as const
type StoreName = (typeof OBJECT_STORES)[keyof typeof OBJECT_STORES]

let opening: Promise<IDBDatabase> | undefined

/** Opens the database once. A connection that the browser closes is opened again at the next call. */
export function openDatabase(): Promise<IDBDatabase> {
  opening ??= new Promise<IDBDatabase>((done, fail) => {
    const request = indexedDB.open(NAME, VERSION)
    request.onupgradeneeded = () => {
      request.result.createObjectStore(OBJECT_STORES.settings)
      request.result.createObjectStore(OBJECT_STORES.chunks)
      request.result.createObjectStore(OBJECT_STORES.reports, { keyPath: 'seq' })
    }
    request.onsuccess = () => {
      const forget = () => (opening = undefined)
      request.result.onclose = forget
      request.result.onversionchange = () => {
        request.result.close()
        forget()
      }
      done(request.result)
    }
    request.onerror = () => {
      opening = undefined
      fail(request.error ?? new Error('the database does not open'))
    }
  })
  return opening
}

/** Runs one transaction. Resolves with the result of the request that `use` returns, after the commit. */
export async function transact<T>(
  name: StoreName,
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest<T> | undefined,
): Promise<T> {
  const database = await openDatabase()
  return new Promise<T>((done, fail) => {
    // Without `strict`, a power failure loses rows that the player takes for stored. Older browsers ignore the option.
    const transaction = database.transaction(name, mode, { durability: 'strict' })
    const request = use(transaction.objectStore(name))
    transaction.oncomplete = () => done(request?.result as T)
    transaction.onabort = () => fail(transaction.error ?? new Error('the transaction was aborted'))
    transaction.onerror = () => fail(transaction.error ?? new Error('the transaction failed'))
  })
}

export const readSetting = <T>(key: string) =>
  transact<T | undefined>(OBJECT_STORES.settings, 'readonly', (store) => store.get(key) as IDBRequest<T | undefined>)

export const writeSetting = (key: string, value: unknown) =>
  transact(OBJECT_STORES.settings, 'readwrite', (store) => store.put(value, key))

export const removeSetting = (key: string) =>
  transact(OBJECT_STORES.settings, 'readwrite', (store) => store.delete(key) as IDBRequest<unknown>)
