import { createContext, use } from 'react'

/**
 * Returns whether the account may open the page of a path. The app registers the function, because modules may not
 * import the router.
 */
const Known = createContext<(url: string) => boolean>(() => true)
export const KnownPagesProvider = Known
export const useKnownPages = () => use(Known)
