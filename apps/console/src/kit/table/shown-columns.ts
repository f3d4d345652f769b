import { createContext, use } from 'react'

const Shown = createContext<readonly string[] | undefined>(undefined)
export const ShownColumnsProvider = Shown

/** The table's visible columns in order, used by an export button in the toolbar. */
export const useShownColumns = () => use(Shown)
