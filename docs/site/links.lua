-- links - in a page of the site, links to documents lead to their pages.   SPDX-License-Identifier: Apache-2.0

local function page_of(target)
  if target:match("^%a+:") or target:match("^#") then return target end
  local path, anchor = target:match("^([^#]*)(#?.*)$")
  path = path:gsub("README%.md$", "index.html"):gsub("%.md$", ".html"):gsub("/$", "/index.html")
  path = path:gsub("(man/[%w-]+%.[1-8])$", "%1.html")
  return path .. anchor
end

function Link(link)
  link.target = page_of(link.target)
  return link
end
