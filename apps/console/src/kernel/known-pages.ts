import { createContext, use } from 'react'

/** Is there a page for this address? The shell knows; modules may not look into it. */
const Known = createContext<(url: string) => boolean>(() => false)
export const KnownPagesProvider = Known
export const useKnownPages = () => use(Known)
