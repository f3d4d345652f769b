import { useQuery } from '@tanstack/react-query'
import { sessionHeaders } from './call.ts'

/**
 * An address an <img> can show. Files of ours need the session's headers, which an image request cannot carry,
 * so they are fetched and shown from memory; other addresses are used as they are.
 */
export function useFileUrl(address: string | null | undefined) {
  const isOurs = address?.startsWith('/api/') ?? false
  const { data } = useQuery({
    queryKey: ['blob', address],
    queryFn: () => fetchFile(address ?? ''),
    enabled: isOurs,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (!address) return ''
  // A data address or one of this very site; anything else would leak who looks at what.
  if (!isOurs) return /^(data:image\/|\/(?!\/))/.test(address) ? address : ''
  return data ?? ''
}

async function fetchFile(address: string) {
  const response = await fetch(address, { headers: sessionHeaders() })
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || !type.startsWith('image/')) return ''
  return dataUrlOf(await response.blob())
}

// A data address needs no revoking when the last picture of it goes.
const dataUrlOf = (blob: Blob) =>
  new Promise<string>((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => resolve('')
    reader.readAsDataURL(blob)
  })
