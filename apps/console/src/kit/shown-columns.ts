import { createContext, use } from 'react'

const Shown = createContext<readonly string[] | undefined>(undefined)
export const ShownColumnsProvider = Shown

/** The columns a table shows now, in its order: what an export button inside the table's toolbar exports. */
export const useShownColumns = () => use(Shown)
