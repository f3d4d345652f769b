import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { hashKey, keepPreviousData, QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call, callReturningMessage, type ApiError } from './client.ts'
import { createRandomKey } from './random-key.ts'
import type { FirstRead } from '#core/routing/screens.ts'
import { toast } from '#core/loading/toast.ts'
import { type Fields, buildQueryFields } from './wire.ts'

/** Stale time in milliseconds: younger data is shown without a request, so that switching tabs is instant. */
const FRESH_MS = 30_000

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // Sends requests also while the browser is offline. React Query would otherwise pause them without an error
      // message. They fail, show the error, and are repeated when the connection returns.
      queries: {
        staleTime: FRESH_MS,
        gcTime: 10 * 60_000,
        retry: false,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })

export const readResourceName = ({ path }: Pick<Endpoint, 'path'>) => path.split('/')[3] ?? ''

/**
 * Query key: resource, path, and the input as sent. `7` and `"7"`, or an empty and an absent field, give the same
 * key.
 */
export function createQueryKey(endpoint: Pick<Endpoint, 'path'>, input: Fields) {
  const query = buildQueryFields(input)
  query.sort()
  return [readResourceName(endpoint), endpoint.path, query.toString()] as const
}

/** Returns the first four parts of a path: `/api/v1/agent/history`. */
const groupOf = (path: string) => path.split('/').slice(0, 5).join('/')

interface Refresh {
  /**
   * Resource of the responses that may have changed (third part of their paths). Absent: all responses may have
   * changed.
   */
  readonly resource?: string
  /** Path of the write that changed the responses. Absent: another person or process changed them. */
  readonly path?: string
}

/**
 * Marks responses as stale and refetches those on the screen. Reads that the operation log records are refetched only
 * after a write of their own group, because the log would otherwise name a person who opened nothing.
 */
export async function refreshReads(client: QueryClient, { resource, path }: Refresh = {}): Promise<void> {
  const filters = resource === undefined ? {} : { queryKey: [resource] }
  await client.invalidateQueries({ ...filters, refetchType: 'none' })
  await client.refetchQueries({
    ...filters,
    type: 'active',
    predicate: ({ meta, queryKey }) =>
      meta?.['isLogged'] !== true || (path !== undefined && groupOf(String(queryKey[1])) === groupOf(path)),
  })
}

export interface ReadOptions {
  /** False postpones the request. */
  readonly enabled?: boolean
  /** Milliseconds for which the response is fresh. */
  readonly staleTime?: number
  /** False (details): shows no data while another input loads. True (lists): keeps the old rows meanwhile. */
  readonly keepPrevious?: boolean
  /** True suppresses the error toast, because the screen shows the error in place of the data. */
  readonly quiet?: boolean
}

/** Returns the query meta that the error toast and `refreshReads` read. */
export const buildQueryMeta = ({ kind }: Endpoint, quiet: boolean) => ({ quiet, isLogged: kind !== undefined })

/** Reads an endpoint. The query key consists of path and input, grouped by resource. */
export function useRead<E extends Endpoint>(endpoint: E, input: InputOf<E>, options: ReadOptions = {}) {
  const { enabled = true, staleTime = FRESH_MS, keepPrevious = true, quiet = false } = options
  const queryKey = createQueryKey(endpoint, input as Fields)
  const result = useQuery<ResultOf<E>, ApiError>({
    queryKey,
    queryFn: ({ signal }) => call(endpoint, input, { signal, quiet }),
    enabled,
    staleTime,
    // Reads that the operation log records are not repeated after a reconnect: the log would name a person who opened
    // nothing.
    refetchOnReconnect: endpoint.kind === undefined,
    meta: buildQueryMeta(endpoint, quiet),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  })
  return useRetained(hashKey(queryKey), result)
}

/** The part of a query result that `useRetained` uses. */
interface ReadResult<Data> {
  readonly data: Data | undefined
  readonly isPending: boolean
  readonly isPlaceholderData: boolean
}

/**
 * Keeps the last response while the component is mounted. The cache drops responses without a visible observer; a
 * page that is shown again would otherwise replace an open form by its loading state.
 */
function useRetained<Data, Result extends ReadResult<Data>>(hash: string, result: Result & ReadResult<Data>): Result {
  const [retained, setRetained] = useState<{ hash: string; data: Data }>()
  const { data, isPlaceholderData } = result
  if (data !== undefined && !isPlaceholderData && retained?.data !== data) setRetained({ hash, data })
  return data === undefined && retained?.hash === hash ? { ...result, data: retained.data, isPending: false } : result
}

/** A record that was loaded for a form. */
export interface FormRecord<Data> {
  readonly data: Data | undefined
  readonly error: ApiError | null
  refetch(): void
}

/**
 * Loads a record once when its form opens, and keeps the response while the form is open. Neither a refetch nor cache
 * removal changes the form's initial values.
 */
export function useFormRecord<Data>(read: () => Promise<Data>): FormRecord<Data> {
  const [{ data, error }, setRecord] = useState<Omit<FormRecord<Data>, 'refetch'>>(NOT_READ)
  const running = useRef(false)
  const refetch = async () => {
    if (running.current) return
    running.current = true
    setRecord(NOT_READ)
    await read().then(
      (response) => setRecord({ data: response, error: null }),
      (refusal: ApiError) => setRecord({ data: undefined, error: refusal }),
    )
    running.current = false
  }
  const first = useEffectEvent(() => {
    // React runs effects again when a hidden page is shown again.
    if (data === undefined && error === null) void refetch()
  })
  useEffect(() => first(), [])
  return { data, error, refetch: () => void refetch() }
}
const NOT_READ = { data: undefined, error: null }

export interface WriteOptions {
  readonly quiet?: boolean
  /** Resources to refetch besides the endpoint's own resource (third part of a path: `device`, `sys`, `tenant` …). */
  readonly alsoChanges?: readonly string[]
}

/** Callbacks of `mutate`. */
interface WriteHandlers<Result> {
  readonly onSuccess?: (result: Result) => void
  readonly onError?: (refusal: ApiError) => void
}

/**
 * Sends a mutation, shows the server's message as a toast, and refetches all queries of the same resource. Concurrent
 * calls with the same input send one request; a retry after a lost response reuses the idempotency key. The callbacks
 * also run while the page is hidden, unlike those of React Query's mutation hook.
 */
export function useWrite<E extends Endpoint>(endpoint: E, { quiet = false, alsoChanges = [] }: WriteOptions = {}) {
  const client = useQueryClient()
  const once = useSingleFlight<ResultOf<E>>()
  const [running, setRunning] = useState<readonly InputOf<E>[]>([])
  const [data, setData] = useState<ResultOf<E>>()
  const mutateAsync = async (input: InputOf<E>): Promise<ResultOf<E>> => {
    setRunning((now) => [...now, input])
    try {
      const result = await once(input, async (idempotencyKey) => {
        const response = await callReturningMessage(endpoint, input, { idempotencyKey, quiet })
        if (endpoint.done) toast.success(response.msg || endpoint.done)
        const resources = [readResourceName(endpoint), ...alsoChanges]
        await Promise.all(resources.map((resource) => refreshReads(client, { resource, path: endpoint.path })))
        return response.data
      })
      setData(() => result)
      return result
    } finally {
      setRunning((now) => now.toSpliced(now.indexOf(input), 1))
    }
  }
  return {
    mutateAsync,
    mutate: (input: InputOf<E>, { onSuccess, onError }: WriteHandlers<ResultOf<E>> = {}) =>
      void mutateAsync(input).then(onSuccess, (refusal: ApiError) => onError?.(refusal)),
    isPending: running.length > 0,
    /** The response of the latest successful request. */
    data,
    /** The input of the latest pending request. */
    variables: running.at(-1),
  }
}

interface Flight<Result> {
  readonly key: string
  running?: Promise<Result> | undefined
}

function useSingleFlight<Result>() {
  const flights = useRef(new Map<string, Flight<Result>>())
  return (input: unknown, go: (key: string) => Promise<Result>): Promise<Result> => {
    const name = JSON.stringify(input) ?? ''
    const flight: Flight<Result> = flights.current.get(name) ?? { key: createRandomKey() }
    if (flight.running) return flight.running
    flights.current.set(name, flight)
    flight.running = go(flight.key).then(
      (result) => {
        flights.current.delete(name)
        return result
      },
      (refusal: ApiError) => {
        flight.running = undefined
        // An error response means that nothing changed, so the key is dropped. After a lost response the key is
        // kept.
        if (!refusal.worthRetrying) flights.current.delete(name)
        throw refusal
      },
    )
    return flight.running
  }
}

/**
 * Prefetches a screen's first data while its code loads. Before the screen is mounted, a failure is left to the
 * screen's own request. A mounted screen does not repeat the request, so the failure is shown at once.
 */
export async function prefetchRead(client: QueryClient, { path, input, next }: FirstRead): Promise<unknown> {
  const queryKey = createQueryKey({ path }, input)
  const waiting = () => client.getQueryCache().find({ queryKey })?.observers ?? []
  const quiet = () => !waiting().some(({ options }) => options.meta?.['quiet'] === false)
  await client.prefetchQuery({
    queryKey,
    queryFn: ({ signal }) => call(routeOf(path), input, { signal, quiet }),
  })
  const response = client.getQueryData(queryKey)
  return response && next && Promise.all(next(response as never).map((read) => prefetchRead(client, read)))
}

const routeOf = (path: FirstRead['path']) => ({ method: 'GET', path, access: 'session' }) as unknown as Endpoint
