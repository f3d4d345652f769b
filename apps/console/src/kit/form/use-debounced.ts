import { useEffect, useState } from 'react'

const DEBOUNCE_MS = 400

/** Returns the text after it stayed unchanged for `ms` milliseconds, so that typing sends one request. */
export function useDebounced(text: string, ms = DEBOUNCE_MS): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return debounced
}
