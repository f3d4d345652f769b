import { findInputCarrier, type Endpoint } from '@oms/contract/core/endpoint.ts'

export type Fields = Readonly<Record<string, unknown>>
/** Transport fields of a contract entry; the only part that the console needs at run time. */
export type Route = Pick<Endpoint, 'method' | 'path' | 'body'>

export interface RequestParts {
  readonly url: string
  readonly body: BodyInit | null
  readonly contentType: string | undefined
}

/** Converts an entry and its input to a URL and a body. */
export function toRequestParts(route: Route, input: Fields): RequestParts {
  const rest: Record<string, unknown> = { ...input }
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  if (findInputCarrier(route) === 'query') return { url: withQuery(path, rest), body: null, contentType: undefined }
  if (route.body === 'binary') return binaryOf(path, rest)
  if (route.body === 'multipart') return { url: path, body: multipartOf(rest), contentType: undefined }
  if (route.body === 'form') {
    return { url: path, body: encodeForm(rest), contentType: 'application/x-www-form-urlencoded;charset=UTF-8' }
  }
  return { url: path, body: JSON.stringify(rest), contentType: 'application/json' }
}

const withQuery = (path: string, fields: Fields) => {
  const query = buildQueryFields(fields).toString()
  return query ? `${path}?${query}` : path
}

/** The binary field is the body; the other fields are sent in the query. */
function binaryOf(path: string, fields: Fields): RequestParts {
  const entries = Object.entries(fields)
  const bytes = entries.find(([, value]) => value instanceof Blob)?.[1] as Blob | undefined
  const rest = Object.fromEntries(entries.filter(([, value]) => !(value instanceof Blob)))
  return { url: withQuery(path, rest), body: bytes ?? null, contentType: 'application/octet-stream' }
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

/** Arrays become repeated keys; empty fields are omitted. */
export const buildQueryFields = (fields: Fields) => buildRepeatedParams(fields, isEmpty)
/** Encodes a form body. Unlike a query, empty fields are sent, because they clear the stored value. */
export const encodeForm = (fields: Fields) =>
  buildRepeatedParams(fields, (value) => value === undefined || value === null).toString()

function buildRepeatedParams(fields: Fields, skip: (value: unknown) => boolean) {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(fields))
    for (const item of [value].flat()) if (!skip(item)) query.append(key, String(item))
  return query
}

// Text fields are sent first: the server must know the purpose before it reads the file.
function multipartOf(fields: Fields) {
  const form = new FormData()
  const entries = Object.entries(fields)
  for (const [key, value] of entries) if (!(value instanceof Blob) && !isEmpty(value)) form.append(key, String(value))
  for (const [key, value] of entries) if (value instanceof Blob) form.append(key, value)
  return form
}
