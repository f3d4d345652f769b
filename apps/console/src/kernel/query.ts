import type { Endpoint, InputOf, ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { call, callForAnswer, type Refusal } from './call.ts'
import { randomKey } from './random-key.ts'
import type { FirstRead } from './screens.ts'
import { toast } from './toast.ts'
import { type Fields, queryOf } from './wire.ts'

/** Data younger than this is shown again without asking the server: switching tabs stays instant. */
const FRESH_MS = 30_000

export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // Without a line a question would otherwise wait in silence, and so would the person: it is asked, fails, is told,
      // and asked again when the line is back.
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

export const resourceOf = ({ path }: Pick<Endpoint, 'path'>) => path.split('/')[3] ?? ''

/** Resource, path, and the input as it travels: `7` and `"7"`, or an empty field and none, are one key. */
export function keyOf(endpoint: Pick<Endpoint, 'path'>, input: Fields) {
  const query = queryOf(input)
  query.sort()
  return [resourceOf(endpoint), endpoint.path, query.toString()] as const
}

export interface ReadOptions {
  /** False waits: nothing is asked yet. */
  readonly enabled?: boolean
  /** Milliseconds the answer counts as fresh. */
  readonly staleTime?: number
  /** False shows nothing while another input loads (details); lists keep the old rows. */
  readonly keepPrevious?: boolean
  /** No toast when it fails: the screen shows the refusal in its place. */
  readonly quiet?: boolean
}

/** Reads an endpoint; the key is its path and input, under the resource it belongs to. */
export function useRead<E extends Endpoint>(endpoint: E, input: InputOf<E>, options: ReadOptions = {}) {
  const { enabled = true, staleTime = FRESH_MS, keepPrevious = true, quiet = false } = options
  return useQuery<ResultOf<E>, Refusal>({
    queryKey: keyOf(endpoint, input as Fields),
    queryFn: ({ signal }) => call(endpoint, input, { signal, quiet }),
    enabled,
    staleTime,
    meta: { quiet },
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  })
}

export interface WriteOptions {
  readonly quiet?: boolean
  /** Resources to refetch beside the endpoint's own (third part of a path: `device`, `sys`, `tenant` …). */
  readonly alsoChanges?: readonly string[]
}

/**
 * Writes through an endpoint: toasts the server's sentence, then refetches everything read from the same resource.
 * The same input sent twice at once is one request; sent again after a lost answer it carries the same idempotency key.
 */
export function useWrite<E extends Endpoint>(endpoint: E, { quiet = false, alsoChanges = [] }: WriteOptions = {}) {
  const client = useQueryClient()
  const once = useOnce<ResultOf<E>>()
  return useMutation<ResultOf<E>, Refusal, InputOf<E>>({
    mutationFn: (input) =>
      once(input, async (idempotencyKey) => {
        const { data, msg } = await callForAnswer(endpoint, input, { idempotencyKey, quiet })
        if (endpoint.done) toast.success(msg || endpoint.done)
        return data
      }),
    onSuccess: async () => {
      const resources = [resourceOf(endpoint), ...alsoChanges]
      await Promise.all(resources.map((resource) => client.invalidateQueries({ queryKey: [resource] })))
    },
  })
}

interface Flight<Result> {
  readonly key: string
  running?: Promise<Result> | undefined
}

function useOnce<Result>() {
  const flights = useRef(new Map<string, Flight<Result>>())
  return (input: unknown, go: (key: string) => Promise<Result>): Promise<Result> => {
    const name = JSON.stringify(input) ?? ''
    const flight: Flight<Result> = flights.current.get(name) ?? { key: randomKey() }
    if (flight.running) return flight.running
    flights.current.set(name, flight)
    flight.running = go(flight.key).then(
      (result) => {
        flights.current.delete(name)
        return result
      },
      (refusal: Refusal) => {
        flight.running = undefined
        // An answered refusal did nothing; only a lost answer may have.
        if (!refusal.worthRetrying) flights.current.delete(name)
        throw refusal
      },
    )
    return flight.running
  }
}

/**
 * Asks for a screen's first data while its code loads. A failure before the screen is there waits for it to ask again,
 * and to tell; a screen that is already waiting does not ask again, so for it the failure is told at once.
 */
export async function prefetchRead(client: QueryClient, { path, input, next }: FirstRead): Promise<unknown> {
  const queryKey = keyOf({ path }, input)
  const waiting = () => client.getQueryCache().find({ queryKey })?.observers ?? []
  const quiet = () => !waiting().some(({ options }) => options.meta?.['quiet'] === false)
  await client.prefetchQuery({
    queryKey,
    queryFn: ({ signal }) => call(routeOf(path), input, { signal, quiet }),
  })
  const answer = client.getQueryData(queryKey)
  return answer && next && Promise.all(next(answer as never).map((read) => prefetchRead(client, read)))
}

const routeOf = (path: FirstRead['path']) => ({ method: 'GET', path, access: 'session' }) as unknown as Endpoint
