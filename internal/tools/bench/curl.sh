#!/bin/sh
# What the service's own procedure for a multipart upload comes to with curl: part after part, nothing verified, nothing
# kept for a second try. Usage: curl.sh SERVICE FILE FOLDER_WITH_PARTS
set -eu
service=$1 file=$2 folder=$3

call() { # name, body
	curl -sSf -H 'Authorization: simulator-id-token' -H 'Content-Type: application/json' -d "$2" "$service/vod/v1/customer/multipart/$1"
}
field() { # name
	sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | sed 's/\\u0026/\&/g'
}

created=$(call create "{\"filename\":\"$(basename "$file")\"}")
upload=$(printf '%s' "$created" | field upload_id)
key=$(printf '%s' "$created" | field key_path)
number=0 parts=
for part in "$folder"/part.*; do
	number=$((number + 1))
	url=$(call generate-url "{\"key_path\":\"$key\",\"upload_id\":\"$upload\",\"part_number\":$number}" | field url)
	etag=$(curl -sSf -o "$folder/answer" -D - -H 'Content-Type:' -T "$part" "$url" | tr -d '\r"' | sed -n 's/^[Ee][Tt][Aa][Gg]: *//p')
	parts="$parts${parts:+,}{\"etag\":\"$etag\",\"part_number\":$number}"
	rm "$part"
done
call complete "{\"key_path\":\"$key\",\"upload_id\":\"$upload\",\"parts\":[$parts]}" >"$folder/answer"
rm "$folder/answer"
