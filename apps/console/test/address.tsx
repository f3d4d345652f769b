import { useLocation } from 'react-router'

/** Shows the URL of the page for `addressOf`. */
export const Address = () => {
  const { pathname, search } = useLocation()
  return <output>{pathname + search}</output>
}
export const addressOf = () => document.querySelector('output')?.textContent
