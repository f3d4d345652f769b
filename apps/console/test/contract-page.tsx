import type { ReactNode } from 'react'
import { afterEach, vi } from 'vitest'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { openTab } from './browser-harness.tsx'

/**
 * Returns a function that opens a page whose calls a contract server answers, and returns the server. The page closes
 * after each test of the file.
 */
export function useContractPage() {
  let tab: ReturnType<typeof openTab> | undefined
  afterEach(() => {
    tab?.close()
    tab = undefined
  })
  return (page: ReactNode) => {
    const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
    tab = openTab(page)
    return server
  }
}
