import { useQuery } from '@tanstack/react-query'
import { buildSessionHeaders } from './client.ts'

/**
 * Returns a URL for an <img>. Files of this server require session headers, which an image request cannot send, so
 * they are fetched and served from memory. Other URLs are returned unchanged.
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
  // Allows only data URLs and URLs of this site. An external URL would reveal to its host who views the page.
  if (!isOurs) return /^(data:image\/|\/(?!\/))/.test(address) ? address : ''
  return data ?? ''
}

async function fetchFile(address: string) {
  const response = await fetch(address, { headers: buildSessionHeaders() })
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || !type.startsWith('image/')) return ''
  return dataUrlOf(await response.blob())
}

// Data URLs need no revocation.
const dataUrlOf = (blob: Blob) =>
  new Promise<string>((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => resolve('')
    reader.readAsDataURL(blob)
  })
